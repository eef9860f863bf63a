import { buildConnector } from 'undici';

/**
 * Connects as undici does, and ends a connection with the TLS error that broke it. Left alone, undici waits for the peer to hang up
 * and then says only that it did: a rejected record would look like any lost connection.
 */
export function tlsTellingConnector(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, callback) => {
    connect(target, (...[error, socket]) => {
      if (error) {
        callback(error, null);
        return;
      }
      socket.prependListener('error', (broken: NodeJS.ErrnoException) => {
        if (broken.code?.startsWith('ERR_SSL_') && !socket.destroyed) socket.destroy(broken);
      });
      callback(null, socket);
    });
  };
}
