/** What the limits of a request are and what is left of them, as headers tell it. */
export interface RateState {
  policy: string;
  remaining: string;
}
