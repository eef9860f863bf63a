/** Words of unknown origin as a sentence that another may follow: one full stop, or what ends them already. Nothing stays nothing. */
export function asSentence(text: string): string {
  const words = text.trim().replace(/[\s.:;,]+$/, '');
  return words === '' || /[!?…]$/.test(words) ? words : `${words}.`;
}
