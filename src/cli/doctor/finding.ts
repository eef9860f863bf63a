/** What one check found. `do`: for `warn` and `fail`, what helps. */
export interface Finding {
  readonly check: string;
  readonly is: 'ok' | 'warn' | 'fail';
  readonly says: string;
  readonly do?: string;
}

export const ok = (check: string, says: string): Finding => ({ check, is: 'ok', says });
export const warn = (check: string, says: string, what: string): Finding => ({ check, is: 'warn', says, do: what });
export const fail = (check: string, says: string, what: string): Finding => ({ check, is: 'fail', says, do: what });
