// Starts a server and says which, then waits to be killed: `node start-server.ts FOLDER with-parent|on-its-own`.
import { startDevServer } from '../../../src/temporal/dev-server.ts';

const [, , dataDir, lives, then] = process.argv;
const { pid, address } = await startDevServer({
  ...(dataDir && { dataDir }),
  lives: lives === 'on-its-own' ? 'on-its-own' : 'with-parent',
});
console.log(JSON.stringify({ pid, address }));
if (then === 'then-return') process.exit();
setInterval(() => {}, 60_000);
