import { listen, sendJson, type LocalServer } from './local-server.ts';

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
  const server = await listen(async ({ method, path, query, headers }, response) => {
    const id = query.get('id') ?? '';
    const refuse = (code: number, message: string) => sendJson(response, code, { error: { code, message } });
    if (method !== 'GET' || !path.endsWith('/generation')) return refuse(404, 'Not found');
    if (!headers.authorization?.startsWith('Bearer ')) return refuse(401, 'No auth credentials found');
    const times = (asked.get(id) ?? 0) + 1;
    asked.set(id, times);
    const bill = known.get(id);
    if (!bill || times <= (bill.notYet ?? 0)) return refuse(404, `Generation ${id} not found`);
    return sendJson(response, 200, { data: rowOf(bill) });
  });
  return {
    ...server,
    add: (bill) => void known.set(bill.id, bill),
    asked: (id) => asked.get(id) ?? 0,
  };
}

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
