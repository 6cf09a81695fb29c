import { type Cell, kindStories } from '../test/actors/kind-stories.ts';

const { startedAgain, unreadable, adopts } = kindStories();

// The frame is the same for all kinds: one that lives for ever, and one that lives once.
startedAgain([
  ['cluster', 'ready'],
  ['build', 'running'],
]);

unreadable([['deletion', 'retained']]);

// Each kind reads its row in its own way.
const rows: Cell[] = [
  ['deletion', 'retained'],
  ['cluster', 'degraded'],
  ['agent-update', 'switching'],
  ['change-set', 'applying'],
  ['deployment', 'checking'],
  ['build', 'running'],
  ['notification-delivery', 'retrying'],
  ['incident', 'open'],
];
adopts(rows);
