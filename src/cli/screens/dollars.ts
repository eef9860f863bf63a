/** An amount of money: `$10.935`, `$0.000271`, `$12.00`. At least cents, at most micro-dollars, nothing rounded. */
export function dollars(micros: number): string {
  const whole = Math.floor(micros / 1_000_000);
  const rest = String(micros % 1_000_000)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `$${whole.toLocaleString('en-US')}.${rest}`;
}
