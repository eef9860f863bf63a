import { DatabaseSync } from 'node:sqlite';
import { listen, sendJson, type LocalRequest, type LocalServer } from '../../src/testing/index.ts';

export interface TrackerOptions {
  /** Path of the tracker's own database; made when missing. */
  readonly dbFile: string;
  readonly port?: number;
  /** Answers so much later than it has written. Default 0. */
  readonly answersAfterMs?: number;
}

export interface Issue {
  readonly number: number;
  readonly crash: string;
  readonly title: string;
  readonly body: string;
}

const SCHEMA = `
  create table if not exists issues (number integer primary key, crash text not null, title text not null, body text not null) strict;
  create table if not exists labels (number integer not null, label text not null, primary key (number, label)) strict;
`;

/**
 * A small issue tracker on 127.0.0.1 with its own database. It checks nothing: whoever posts twice has two issues.
 * `GET /issues?q=TEXT` · `POST /issues` `{ crash, title, body }` · `PUT /issues/:number/labels/:label`, which changes nothing
 * the second time.
 */
export async function startTracker({ dbFile, port, answersAfterMs = 0 }: TrackerOptions): Promise<LocalServer> {
  const db = new DatabaseSync(dbFile);
  db.exec('pragma journal_mode = wal; pragma synchronous = full;');
  db.exec(SCHEMA);
  const server = await listen(async (request, response) => {
    const { status, body } = route(db, request);
    if (answersAfterMs > 0) await new Promise((resolve) => setTimeout(resolve, answersAfterMs));
    sendJson(response, status, body);
  }, port);
  return {
    url: server.url,
    async close() {
      await server.close();
      db.close();
    },
  };
}

function route(db: DatabaseSync, { method, path, query, body }: LocalRequest): { status: number; body: object } {
  if (method === 'GET' && path === '/issues')
    return { status: 200, body: { issues: search(db, query.get('q') ?? '') } };
  if (method === 'POST' && path === '/issues') return create(db, body);
  const label = /^\/issues\/(\d+)\/labels\/([^/]+)$/.exec(path);
  if (method === 'PUT' && label) return addLabel(db, Number(label[1]), decodeURIComponent(label[2] ?? ''));
  return { status: 404, body: { error: `There is no ${method} ${path} here.` } };
}

function search(db: DatabaseSync, text: string): readonly unknown[] {
  return db
    .prepare('select number, crash, title from issues where crash = ? or title like ? order by number')
    .all(text, `%${text}%`);
}

function create(db: DatabaseSync, body: string): { status: number; body: object } {
  const { crash, title, body: text = '' } = JSON.parse(body) as Partial<Issue>;
  if (!crash || !title) return { status: 400, body: { error: 'An issue needs crash and title.' } };
  const { lastInsertRowid } = db
    .prepare('insert into issues (crash, title, body) values (?, ?, ?)')
    .run(crash, title, text);
  return { status: 201, body: { number: Number(lastInsertRowid), crash, title } };
}

function addLabel(db: DatabaseSync, number: number, label: string): { status: number; body: object } {
  if (!db.prepare('select 1 from issues where number = ?').get(number))
    return { status: 404, body: { error: `There is no issue ${number}.` } };
  db.prepare('insert or ignore into labels (number, label) values (?, ?)').run(number, label);
  return { status: 200, body: { number, label } };
}

/** Counts what the tracker holds, from its database alone. `twice`: crashes with more than one issue. */
export function countTracker(dbFile: string): {
  readonly issues: readonly Issue[];
  readonly twice: number;
  readonly labels: number;
} {
  const db = new DatabaseSync(dbFile, { readOnly: true });
  try {
    const issues = db
      .prepare('select number, crash, title, body from issues order by number')
      .all() as unknown as Issue[];
    const labels = db.prepare('select count(*) as n from labels').get()?.['n'];
    return { issues, twice: issues.length - new Set(issues.map(({ crash }) => crash)).size, labels: Number(labels) };
  } finally {
    db.close();
  }
}
