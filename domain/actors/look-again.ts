/**
 * The message that asks any actor to look at its row again, since it may have missed another one: Temporal was restored
 * to an older copy, or the row is final. Looking twice does no harm, so it need not count once.
 */
export const lookAgain = 'lookAgain';
