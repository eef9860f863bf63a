import type { Client, Connection } from '@temporalio/client';
import type { Quorum } from '../contracts/approval.ts';
import type { Decider } from '../contracts/decider.ts';
import type { EventStore } from '../contracts/event-store.ts';
import type { Ledger } from '../contracts/ledger.ts';
import type { Prices } from '../contracts/price.ts';

/** What the pieces of the client share. */
export interface ClientParts {
  readonly client: Client;
  readonly connection: Connection;
  readonly namespace: string;
  readonly address: string;
  readonly taskQueue: string;
  readonly ledger: Ledger;
  readonly events: EventStore;
  /** The same, made where there is none: a message to a chat waits for no worker. */
  readonly chats: EventStore;
  /** Where the events are. */
  readonly eventsAddress: string;
  /** As the configuration has them: decisions that only the ledger hears are held to the same rules. */
  readonly deciders: readonly Decider[] | undefined;
  readonly quorum: Quorum | undefined;
  /** What models cost, where the built-in table does not hold. */
  readonly prices: Prices | undefined;
}
