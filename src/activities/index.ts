import type { CostRoundRequest } from '../contracts/cost-look-up.ts';
import type {
  AlertRequest,
  AnswerRequest,
  ApprovalRequest,
  CardRequest,
  ConfirmRequest,
  InquiryRequest,
  LeaveRequest,
  ModelRequest,
  NewsRequest,
  RecordRequest,
  SettleRequest,
  ToolRequest,
} from '../contracts/requests.ts';
import { alertPeople } from './alert-people.ts';
import { askCancel } from './ask-cancel.ts';
import { callModel } from './call-model.ts';
import { callTool } from './call-tool.ts';
import { confirmOutcome } from './confirm-outcome.ts';
import { decideApproval } from './decide-approval.ts';
import { lookUpCosts } from './look-up-costs.ts';
import { keepAnswer } from './keep-answer.ts';
import { askLedger, readNews, repeatRecord, settleOutcome } from './ledger-activities.ts';
import type { ActivityPorts } from './ports.ts';
import { readAnswer } from './read-answer.ts';
import { readCard } from './read-card.ts';
import { readLeave } from './read-leave.ts';

/** The activities of a run, under the names Temporal knows them by. */
export function createActivities(ports: ActivityPorts) {
  return {
    readCard: (request: CardRequest) => readCard(ports, request),
    callModel: (request: ModelRequest) => callModel(ports, request),
    callTool: (request: ToolRequest) => callTool(ports, request),
    askLedger: (request: InquiryRequest) => askLedger(ports, request),
    readNews: (request: NewsRequest) => readNews(ports, request),
    confirmOutcome: (request: ConfirmRequest) => confirmOutcome(ports, request),
    askCancel: (request: ConfirmRequest) => askCancel(ports, request),
    decideApproval: (request: ApprovalRequest) => decideApproval(ports, request),
    readLeave: (request: LeaveRequest) => readLeave(ports, request),
    alertPeople: (request: AlertRequest) => alertPeople(ports, request),
    settleOutcome: (request: SettleRequest) => settleOutcome(ports, request),
    readAnswer: (request: { readonly run: string }) => readAnswer(ports, request),
    keepAnswer: (request: AnswerRequest) => keepAnswer(ports, request),
    lookUpCosts: (request: CostRoundRequest) => lookUpCosts(ports, request),
    repeatRecord: (request: RecordRequest) => repeatRecord(ports, request),
  };
}

export type Activities = ReturnType<typeof createActivities>;
