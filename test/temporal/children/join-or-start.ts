// Joins or starts the server of a folder, says which, then waits to be killed: `node join-or-start.ts FOLDER`.
import { joinOrStartServer } from '../../../src/temporal/join-or-start-server.ts';

const { is, server } = await joinOrStartServer({ dataDir: process.argv[2]! });
console.log(JSON.stringify({ is, pid: server.pid, address: server.address }));
setInterval(() => {}, 60_000);
