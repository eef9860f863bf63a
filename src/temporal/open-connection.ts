import { Connection, type ConnectionOptions } from '@temporalio/client';

/** As `Connection.connect`, which leaves a failed connection trying behind everybody's back: that keeps a process alive. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const connection = Connection.lazy(options);
  try {
    await connection.ensureConnected();
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}
