import { type Cell, kindStories } from '../test/actors/kind-stories.ts';
import { actorKinds, descriptors } from './descriptors.ts';

const everyState: Cell[] = actorKinds.flatMap((kind) => {
  const { states, final } = descriptors[kind];
  return states.filter((state) => !final.includes(state)).map((state) => [kind, state] as const);
});

const { startedAgain, unreadable, adopts } = kindStories();
startedAgain(everyState);
unreadable(everyState);
adopts(everyState);
