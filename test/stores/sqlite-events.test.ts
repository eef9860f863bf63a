import { expect, test } from '@jest/globals';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqliteEvents } from '../../src/stores/sqlite-events.ts';
import { eventsContract } from './events-contract.ts';
import { makeFolder, makeLocalPlace, removeFolder } from './store-folder.ts';

eventsContract('sqlite', () => makeLocalPlace('sqlite', 'events.db'));

test('an event store that cannot be opened says which, why and what to do', async () => {
  const folder = await makeFolder();
  await writeFile(join(folder, 'events.db'), 'notes, not a database '.repeat(50));
  const events = openSqliteEvents(join(folder, 'events.db'));

  await expect(events.read('run', 0)).rejects.toThrow(
    `Cannot use the event store at ${join(folder, 'events.db')}: the file is not an SQLite database. Name another path`,
  );
  await removeFolder(folder);
});

test('a removed event file is begun anew: runs go on without their past events', async () => {
  const folder = await makeFolder();
  const events = openSqliteEvents(join(folder, 'events.db'));
  const said = { type: 'said', at: 1, turn: 1, text: 'lost' } as const;
  await events.append('run', [said]);
  await rm(join(folder, 'events.db'));

  expect(await events.append('run', [{ ...said, text: 'kept' }])).toBe(1);
  expect(await events.read('run', 0)).toMatchObject([{ text: 'kept' }]);
  await events.close();
  await removeFolder(folder);
});
