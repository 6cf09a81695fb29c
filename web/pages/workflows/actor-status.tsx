import { Status } from '../../components/status.tsx';
import { type Actor, stateWords } from './actor-words.ts';

export function ActorStatus({ actor }: { actor: Pick<Actor, 'kind' | 'state'> }) {
  const { word, tone } = stateWords(actor);
  return <Status tone={tone}>{word}</Status>;
}
