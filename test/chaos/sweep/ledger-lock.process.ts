// Takes the write lock of a SQLite file and keeps it until it is killed: node ledger-lock.process.ts FILE.
import { DatabaseSync } from 'node:sqlite';

process.on('disconnect', () => process.exit(1));
const database = new DatabaseSync(process.argv[2] ?? '', { timeout: 5_000 });
database.exec('BEGIN EXCLUSIVE');
process.send?.({ locked: true });
setInterval(() => database.isOpen, 60_000);
