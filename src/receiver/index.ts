// The door `holdfast/receiver`: for services that tools call, so that an idempotency key is honoured there.
export { honourKeys, type Honouring } from './honour-keys.ts';
export { honourInTransaction, type PlainAnswer, type PlainRequest } from './honour-in-transaction.ts';
export { openKeyStore, type KeyStoreOptions, type SqliteKeyStore } from './open-key-store.ts';
export type { DoubtfulKey, KeptAnswer, KeyedRequest, KeyStanding, KeyStore, KeyTaken } from './key-store.ts';
export { NotDone } from './not-done.ts';
export { toListener, type OnError } from './to-listener.ts';
