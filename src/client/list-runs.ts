import { WorkflowNotFoundError, type Client, type WorkflowExecutionInfo } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { WORKFLOW_TYPE } from '../contracts/messages.ts';
import type { ClientParts } from './client-parts.ts';

export interface ListFilter {
  readonly agent?: string;
  /** As the search attribute HoldfastStatus has it: running, waiting, answered, completed, partial, stopped, failed. */
  readonly status?: string;
  readonly task?: string;
  /** At most so many, newest first. Default 50. */
  readonly limit?: number;
}

/** One run as a list shows it, from what the server knows without asking a worker. */
export interface RunRow {
  readonly run: string;
  readonly agent: string;
  readonly taskId: string;
  readonly status: string;
  readonly waitingFor: readonly string[];
  readonly startedAt: number;
  readonly closedAt: number | undefined;
  /** Temporal's own: RUNNING, PAUSED, COMPLETED, FAILED, TERMINATED … */
  readonly temporalStatus: string;
}

/** Runs, newest first. Without our search attributes the filter is applied here, to what the server lists. */
export async function listRuns(parts: ClientParts, filter: ListFilter = {}): Promise<readonly RunRow[]> {
  const rows: RunRow[] = [];
  for await (const row of runsBy(parts)) {
    if (matches(row, filter)) rows.push(row);
    if (rows.length >= (filter.limit ?? 50)) break;
  }
  return rows;
}

/** Runs, newest first. `condition`: in the language of Temporal's list filters. */
export async function* runsBy({ client }: Pick<ClientParts, 'client'>, condition?: string): AsyncGenerator<RunRow> {
  const query = [`WorkflowType = "${WORKFLOW_TYPE}"`, ...(condition === undefined ? [] : [condition])].join(' AND ');
  for await (const info of client.workflow.list({ query })) yield rowOf(info);
}

/** One run, as the server lists it. Undefined when it knows none of that id. */
export async function describeRun(client: Client, run: string): Promise<RunRow | undefined> {
  try {
    return rowOf(await client.workflow.getHandle(run).describe());
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

function matches(row: RunRow, { agent, status, task }: ListFilter): boolean {
  return (!agent || row.agent === agent) && (!status || row.status === status) && (!task || row.taskId === task);
}

const WAITING_FOR = defineSearchAttributeKey('HoldfastWaitingFor', 'KEYWORD_LIST');

/** Reads what the server says of a run; our own part is empty where it lacks our search attributes. */
function rowOf(info: Omit<WorkflowExecutionInfo, 'raw'>): RunRow {
  const text = (name: string) => info.typedSearchAttributes.get(defineSearchAttributeKey(name, 'KEYWORD')) ?? '';
  const temporalStatus = info.status.name;
  return {
    run: info.workflowId,
    agent: text('HoldfastAgent'),
    taskId: text('HoldfastTaskId'),
    status: statusOf(text('HoldfastStatus'), temporalStatus),
    waitingFor: info.typedSearchAttributes.get(WAITING_FOR) ?? [],
    startedAt: info.startTime.getTime(),
    closedAt: info.closeTime?.getTime(),
    temporalStatus,
  };
}

/** A run that was ended from outside never said so itself. */
function statusOf(own: string, temporal: string): string {
  if (temporal === 'PAUSED') return 'paused';
  const isClosedOutside = temporal === 'TERMINATED' || temporal === 'TIMED_OUT' || temporal === 'CANCELLED';
  if (isClosedOutside || (temporal === 'FAILED' && own !== 'failed')) return temporal.toLowerCase().replace('_', ' ');
  return own || temporal.toLowerCase();
}
