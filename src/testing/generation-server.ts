import { listen, sendJson, type LocalRequest, type LocalServer } from './local-server.ts';

/** What OpenRouter's bill says of one reply. */
export interface GenerationBill {
  readonly id: string;
  /** USD. */
  readonly totalCost: number;
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  /** It is asked so often in vain before the row is there. Default 0. */
  readonly notYet?: number;
}

export interface GenerationServer extends LocalServer {
  /** Puts a reply on the bill. */
  add(bill: GenerationBill): void;
  /** How often a reply was asked for. */
  asked(id: string): number;
}

/**
 * The part of OpenRouter that says afterwards what a reply cost: `GET …/generation?id=…` with any key, 404 at first. `url` is what
 * `providers: { openrouter: { baseURL } }` takes.
 */
export async function startGenerationServer(bills: readonly GenerationBill[] = []): Promise<GenerationServer> {
  const known = new Map(bills.map((bill) => [bill.id, bill]));
  const asked = new Map<string, number>();
  const answer = ({ method, path, query, headers }: LocalRequest): readonly [status: number, body: object] => {
    const id = query.get('id') ?? '';
    if (method !== 'GET' || !path.endsWith('/generation')) return refusal(404, 'Not found');
    if (!headers.authorization?.startsWith('Bearer ')) return refusal(401, 'No auth credentials found');
    const times = (asked.get(id) ?? 0) + 1;
    asked.set(id, times);
    const bill = known.get(id);
    const isThere = bill !== undefined && times > (bill.notYet ?? 0);
    return isThere ? [200, { data: rowOf(bill) }] : refusal(404, `Generation ${id} not found`);
  };
  const server = await listen((request, response) => {
    sendJson(response, ...answer(request));
    return Promise.resolve();
  });
  return {
    ...server,
    add: (bill) => void known.set(bill.id, bill),
    asked: (id) => asked.get(id) ?? 0,
  };
}

const refusal = (code: number, message: string) => [code, { error: { code, message } }] as const;

const rowOf = ({ id, totalCost, promptTokens = 0, completionTokens = 0 }: GenerationBill) => ({
  id,
  total_cost: totalCost,
  usage: totalCost,
  upstream_inference_cost: 0,
  native_tokens_prompt: promptTokens,
  native_tokens_completion: completionTokens,
  native_tokens_cached: 0,
  cancelled: true,
  streamed: true,
  is_byok: false,
});
