import type { Mutant } from './mutated.ts';

/** Mutants of the queue, and of what is written and told. */
export const mutantsOfQueueAndWrites: readonly Mutant[] = [
  { without: 'so many run as there are slots', file: 'arbiter/queue', text: 'free <= 0', instead: 'free < 0' },
  { without: 'each turn takes a slot', file: 'arbiter/queue', text: 'free -= 1;', instead: '' },
  { without: 'claimed ones hold slots', file: 'arbiter/queue', text: ' - claimed.length', instead: '' },
  {
    without: 'one at a time rolls at a place',
    file: 'arbiter/queue',
    text: "if (taken.has(place)) return [id, 'earlier-deployment'];",
    instead: '',
  },
  {
    without: 'one whose place is taken lets others pass',
    file: 'arbiter/queue',
    text: "if (taken.has(place)) return [id, 'earlier-deployment'];",
    instead: "if (taken.has(place)) { free = 0; return [id, 'earlier-deployment']; }",
  },
  {
    without: 'a rollback goes first',
    file: 'arbiter/queue',
    text: "Number(other.kind === 'rollback') - Number(one.kind === 'rollback') || ",
    instead: '',
  },
  {
    without: 'first come, first served',
    file: 'arbiter/queue',
    text: 'one.order - other.order',
    instead: 'other.order - one.order',
  },
  {
    without: 'held ones are in no queue',
    file: 'arbiter/queue',
    text: "one.state === 'pending' && !isHeld(one)",
    instead: "one.state === 'pending'",
  },
  {
    without: 'blockers are kept true',
    file: 'arbiter/plan',
    text: 'waiting !== undefined && waiting.blocker !== blocker',
    instead: 'waiting !== undefined && blocker === undefined',
  },
  {
    without: 'one whose turn has come is woken',
    file: 'arbiter/plan',
    text: "state === undefined && blocker === '' && !this.#decided.includes(id)",
    instead: 'state === undefined && blocker !== blocker && !this.#decided.includes(id)',
  },
  {
    without: 'only one whose turn has come is woken',
    file: 'arbiter/plan',
    text: "state === undefined && blocker === '' && !this.#decided.includes(id)",
    instead: 'state === undefined && blocker !== undefined && !this.#decided.includes(id)',
  },
  {
    without: 'one that was decided is told that alone',
    file: 'arbiter/plan',
    text: ' && !this.#decided.includes(id))',
    instead: ')',
  },
  {
    without: 'one that is ended by others is told',
    file: 'arbiter/plan',
    text: 'this.#stop.push(deployment.id);',
    instead: '',
  },
  {
    without: 'one that is asked to cancel is told',
    file: 'arbiter/plan',
    text: 'this.#stop.push(claimed.id);',
    instead: '',
  },
  {
    without: 'the row of one that is asked to cancel says so',
    file: 'arbiter/plan',
    text: 'cancelRequested: true });',
    instead: '});',
  },
  {
    without: 'an approved one is told',
    file: 'arbiter/plan',
    text: 'this.#decided.push(held.id);\n  }\n\n  reject',
    instead: '}\n\n  reject',
  },
  {
    without: 'later ones come later',
    file: 'arbiter/plan',
    text: 'Math.max(0, ...this.open.map((one) => one.order)) + 1',
    instead: 'Math.min(0, ...this.open.map((one) => one.order)) - 1',
  },
  {
    without: 'an approval closes with its last deployment',
    file: 'arbiter/plan',
    text: 'this.closeApproval(deployment, state);',
    instead: '',
  },
  {
    without: 'an approval stays open while it holds another',
    file: 'arbiter/plan',
    text: 'if (this.open.some((one) => isHeld(one) && one.approvalId === approvalId)) return;',
    instead: '',
  },
  {
    without: 'a decided approval stays as it was decided',
    file: 'arbiter/plan',
    text: 'approvalId === undefined || !isHeld(ended)',
    instead: 'approvalId === undefined',
  },
];
