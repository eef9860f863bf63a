// An agent loop as one writes it on the first day: it works, it handles errors, and it can refund twice.

export interface NaiveLoopOptions {
  /** Base URL of an OpenAI-compatible server, ending in `/v1`. */
  readonly modelUrl: string;
  readonly paymentsUrl: string;
  readonly order: string;
  readonly cents: number;
  /** How long a tool call may take. */
  readonly timeoutMs: number;
  readonly log: (line: string) => void;
}

const refundTool = {
  name: 'refund',
  description: 'Refunds an order.',
  parameters: {
    type: 'object',
    properties: { orderId: { type: 'string' }, amount: { type: 'number' }, reason: { type: 'string' } },
    required: ['orderId', 'amount', 'reason'],
  },
};

/** Runs until the model has nothing more to do. `refunds`: how many the loop has seen succeed. */
export async function runNaiveLoop({ modelUrl, paymentsUrl, order, cents, timeoutMs, log }: NaiveLoopOptions) {
  const messages: object[] = [
    { role: 'system', content: 'You are a support agent. Use the tools, then tell the customer what was done.' },
    { role: 'user', content: `Order ${order} arrived damaged. Please refund the ${cents / 100} dollars I paid.` },
  ];
  let refunds = 0;
  for (;;) {
    const reply = await askModel(modelUrl, messages);
    messages.push(reply);
    if (!reply.tool_calls) return { text: reply.content ?? '', refunds };
    for (const call of reply.tool_calls) {
      const result = await refund(paymentsUrl, call.function.arguments, timeoutMs);
      if (result.ok) refunds += 1;
      log(`refund ${call.function.arguments} -> ${result.text}`);
      messages.push({ role: 'tool', tool_call_id: call.id, content: result.text });
    }
  }
}

interface AssistantMessage {
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
}

async function askModel(modelUrl: string, messages: readonly object[]): Promise<AssistantMessage> {
  const body = JSON.stringify({ model: 'any', messages, tools: [{ type: 'function', function: refundTool }] });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${modelUrl}/chat/completions`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`The model answered ${response.status}: ${await response.text()}`);
  const completion = (await response.json()) as { choices: [{ message: AssistantMessage }] };
  return completion.choices[0].message;
}

async function refund(paymentsUrl: string, body: string, timeoutMs: number): Promise<{ ok: boolean; text: string }> {
  const signal = AbortSignal.timeout(timeoutMs);
  const headers = { 'content-type': 'application/json' };
  try {
    const response = await fetch(`${paymentsUrl}/refunds`, { method: 'POST', headers, body, signal });
    return { ok: response.ok, text: await response.text() };
  } catch (error) {
    return { ok: false, text: signal.aborted ? 'Error: timed out' : `Error: ${String(error)}` };
  }
}
