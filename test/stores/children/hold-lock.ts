import { DatabaseSync } from 'node:sqlite';
import { hangUp, heard, tell } from './parent.ts';

/** PATH: takes the write lock, says so, and gives it back at the next word. */
const [, , path = ''] = process.argv;
const database = new DatabaseSync(path);
const released = heard();
database.exec('BEGIN IMMEDIATE');
tell('held');
await released;
database.exec('ROLLBACK');
database.close();
tell('released');
hangUp();
