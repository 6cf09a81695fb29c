import type { Mutant } from './mutated.ts';

/** Mutants of each event's rules, in the order of the file. */
export const mutantsOfEvents: readonly Mutant[] = [
  // Create.
  {
    without: 'a request that comes again changes nothing',
    file: 'arbiter',
    text: 'if (deployments.some(({ id }) => plan.find(id) !== undefined)) return plan.admission();',
    instead: '',
  },
  {
    without: 'one with an approval is held',
    file: 'arbiter',
    text: "one.approvalId === undefined ? '' : 'approval'",
    instead: "''",
  },
  {
    without: 'a suspended service is not started',
    file: 'arbiter',
    text: "if (suspended.length > 0) return { refused: 'service-suspended', places: suspended.map(({ place }) => place) };",
    instead: '',
  },
  { without: 'a suspended service is resumed', file: 'arbiter', text: "kind !== 'resume' && ", instead: '' },
  {
    without: 'a start that may not wait is refused',
    file: 'arbiter',
    text: 'atLimit(snapshot, plan, deployments) ?? ',
    instead: '',
  },
  {
    without: 'a slot that was given is taken',
    file: 'arbiter',
    text: 'claimed.length + granted < concurrency',
    instead: 'claimed.length < concurrency',
  },
  { without: 'one that may queue waits', file: 'arbiter', text: '(mayWait || approvalId', instead: '(approvalId' },
  {
    without: 'a held one waits',
    file: 'arbiter',
    text: 'mayWait || approvalId !== undefined || ',
    instead: 'mayWait || ',
  },
  { without: 'a member of a change set waits', file: 'arbiter', text: ' || changeSetId !== undefined)', instead: ')' },
  { without: 'one whose turn it is starts', file: 'arbiter', text: "queue.get(id) !== '' &&", instead: '' },
  {
    without: 'a rollback follows the one of its place',
    file: 'arbiter',
    text: "!(kind === 'rollback' && claimed.some((one) => one.place === place))",
    instead: 'true',
  },
  {
    without: 'only a rollback follows the one of its place',
    file: 'arbiter',
    text: "!(kind === 'rollback' && claimed.some((one) => one.place === place))",
    instead: '!claimed.some((one) => one.place === place)',
  },
  // Supersession.
  {
    without: 'a held one supersedes held ones',
    file: 'arbiter',
    text: "if (blocker === 'approval') supersedeHeld(plan, inserted);\n    else",
    instead: "if (blocker !== 'approval')",
  },
  {
    without: 'a held one supersedes only held ones',
    file: 'arbiter',
    text: 'one.id !== by.id && isHeld(one) && one.changeSetId === undefined',
    instead: "one.id !== by.id && one.state === 'pending' && one.changeSetId === undefined",
  },
  {
    without: 'a held one leaves members of change sets that are not applied',
    file: 'arbiter',
    text: 'isHeld(one) && one.changeSetId === undefined) plan',
    instead: 'isHeld(one)) plan',
  },
  {
    without: 'one past its gate leaves members of change sets that are not applied',
    file: 'arbiter',
    text: 'one.id === by.id || (isHeld(one) && one.changeSetId !== undefined)',
    instead: 'one.id === by.id',
  },
  {
    without: 'members of change sets that are applied are superseded like others',
    file: 'arbiter',
    text: 'one.id === by.id || (isHeld(one) && one.changeSetId !== undefined)',
    instead: 'one.id === by.id || one.changeSetId !== undefined',
  },
  {
    without: 'one past its gate supersedes all that wait at its place',
    file: 'arbiter',
    text: 'if (!isClaimed(one)) plan.supersede(one, by);\n    else if (by',
    instead: 'if (isClaimed(one) && by',
  },
  {
    without: 'places do not supersede each other',
    file: 'arbiter',
    text: '.filter((one) => one.place === place)',
    instead: '.filter(() => place)',
  },
  {
    without: 'only a rollback asks a claimed one to cancel',
    file: 'arbiter',
    text: "by.kind === 'rollback' && ",
    instead: '',
  },
  {
    without: 'a rollback asks a claimed one to cancel',
    file: 'arbiter',
    text: "by.kind === 'rollback' && isDeploymentCancellable(one.state)",
    instead: "by.kind === 'rollback' && !one",
  },
  {
    without: 'nobody asks one whose release serves',
    file: 'arbiter',
    text: "by.kind === 'rollback' && isDeploymentCancellable(one.state)",
    instead: "by.kind === 'rollback'",
  },
  // Claim.
  {
    without: 'a claim is granted when it is its turn',
    file: 'arbiter',
    text: "plan.queue().get(id) === ''",
    instead: "deployment.state === 'pending'",
  },
  {
    without: 'a claim that comes again is granted again',
    file: 'arbiter',
    text: 'isItsTurn || isClaimed(deployment)',
    instead: 'isItsTurn',
  },
  // Cancel.
  {
    without: 'one whose release serves is not cancelled',
    file: 'arbiter',
    text: "because === 'superseded' || !isDeploymentCancellable(state)",
    instead: "because === 'superseded'",
  },
  {
    without: 'a claimed one is not superseded',
    file: 'arbiter',
    text: "because === 'superseded' || !isDeploymentCancellable(state)",
    instead: '!isDeploymentCancellable(state)',
  },
  {
    without: 'one that waits ends at once',
    file: 'arbiter',
    text: '  if (!isClaimed(deployment)) plan.drop(',
    instead: '  if (!deployment) plan.drop(',
  },
  {
    without: 'a cancelled one is called so',
    file: 'arbiter',
    text: "because === 'person' ? 'cancelled' : 'superseded'",
    instead: "'superseded'",
  },
  {
    without: 'a final one is not cancelled',
    file: 'arbiter',
    text: "return { refused: 'already-final' };",
    instead: 'return plan.admission();',
  },
  // Decide.
  {
    without: 'a decision concerns what its approval holds',
    file: 'arbiter',
    text: 'plan.open.filter((one) => isHeld(one) && one.approvalId === approvalId)',
    instead: 'plan.open.filter((one) => isHeld(one))',
  },
  {
    without: 'a decision concerns held ones',
    file: 'arbiter',
    text: 'plan.open.filter((one) => isHeld(one) && one.approvalId === approvalId)',
    instead: 'plan.open.filter((one) => one.approvalId === approvalId)',
  },
  {
    without: 'approved ones supersede',
    file: 'arbiter',
    text: "if (decision === 'approved') for (const one of held) passGate(plan, one);",
    instead: '',
  },
  {
    without: 'approved ones are admitted together',
    file: 'arbiter',
    text: "if (decision === 'approved') plan.release(one);",
    instead: "if (decision === 'approved') { if (one === held[0]) plan.release(one); }",
  },
  { without: 'what is not approved ends', file: 'arbiter', text: 'else plan.reject(one, decision);', instead: '' },
  // Finish.
  {
    without: 'one that waits does not finish',
    file: 'arbiter',
    text: "if (!isClaimed(deployment) && state !== 'failed') return { refused: 'not-claimed', state: deployment.state };",
    instead: '',
  },
  {
    without: 'one that waits can fail',
    file: 'arbiter',
    text: "!isClaimed(deployment) && state !== 'failed'",
    instead: '!isClaimed(deployment)',
  },
  {
    without: 'a held one that fails closes its approval',
    file: 'arbiter',
    text: "plan.closeApproval(deployment, 'cancelled');",
    instead: '',
  },
  {
    without: 'only live ones change what serves',
    file: 'arbiter',
    text: "if (state !== 'live') return plan.admission();",
    instead: '',
  },
  {
    without: 'the release before is named',
    file: 'arbiter',
    text: 'before: snapshot.live.get(place)',
    instead: 'before: undefined',
  },
];
