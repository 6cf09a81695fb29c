import { Status } from '../../components/status.tsx';
import type { Actor } from './actor-words.ts';

export function ActorStatus({ actor: { tone, stateTitle } }: { actor: Pick<Actor, 'tone' | 'stateTitle'> }) {
  return <Status tone={tone}>{stateTitle}</Status>;
}
