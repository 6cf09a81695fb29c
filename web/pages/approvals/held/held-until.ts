/** Who ends the wait of what somebody is about to request: somebody who may decide does not decide about their own. */
export function heldUntil(environment: string, who: 'not-you' | 'others' | 'you-alone'): string {
  const decides = {
    'not-you': 'an administrator or an owner has approved it',
    others: 'another administrator or owner has approved it',
    'you-alone': 'you approve it yourself, because you are the only one who may',
  }[who];
  return `Nothing changes in ${environment} until ${decides}.`;
}
