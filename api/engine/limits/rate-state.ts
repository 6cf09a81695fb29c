/** The limits of a request and how much of them is left, as headers carry it. */
export interface RateState {
  policy: string;
  remaining: string;
}
