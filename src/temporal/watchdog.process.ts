// Runs as its own process: `node watchdog.process.ts PID`. Its standard input is a pipe whose other end only the owner
// of the server holds. However the owner ends, kill -9 included, the system closes that end, and we end the server.
// At once and without asking: a slow goodbye would let the owner's successor meet a server that is about to vanish.
const endServer = () => {
  try {
    process.kill(Number(process.argv[2]), 'SIGKILL');
  } catch {
    // Gone already.
  }
};
process.stdin.once('end', endServer).once('error', endServer).resume();
