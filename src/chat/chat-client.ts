import type { ChatRecord } from '../client/chat-record.ts';
import type { StartRequest } from '../client/start-run.ts';
import type { FollowedRun } from './follow-run.ts';

/** What the handler needs of an `AgentClient`. */
export interface ChatClient {
  start(request: StartRequest): Promise<FollowedRun>;
  get(run: string): FollowedRun;
  chat(id: string): ChatRecord;
}
