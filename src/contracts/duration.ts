/** A length of time at the user's edge: milliseconds, or a number with a unit: '250ms', '30s', '10m', '20h', '7d'. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;
