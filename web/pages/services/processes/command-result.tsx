import { useQuery } from '@tanstack/react-query';
import type { CommandState } from '../../../../domain/clusters/clusters.ts';
import { DialogActions } from '../../../components/dialogs/dialog.tsx';
import { Button } from '../../../components/forms/button.tsx';
import { Notice } from '../../../components/notice.tsx';
import { Status, wordsOf } from '../../../components/status.tsx';
import type { Tone } from '../../../components/style.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import type { Answers } from '../../../control-plane/session.ts';

export type Command = Answers['environments']['command'];

/** While the agent does it, and once it has: each kind of command in its own words. */
export interface CommandWords {
  delivered: string;
  done: (command: Command) => { word: string; tone: Tone };
}

interface CommandResultProps {
  begun: Command;
  environmentId: string;
  words: CommandWords;
  onClose: () => void;
}

const states: Record<Exclude<CommandState, 'delivered' | 'done'>, { word: string; tone: Tone }> = {
  queued: { word: 'Waits for the agent', tone: 'live' },
  failed: { word: 'Failed', tone: 'fault' },
  unknown: { word: 'The agent was interrupted and cannot say', tone: 'attention' },
  lost: { word: 'Lost', tone: 'attention' },
  cancelled: { word: 'Cancelled', tone: 'neutral' },
  expired: { word: 'The agent did not take it in time', tone: 'attention' },
};

/** Within a dialog: how far a command is, until the agent has said how it ended. */
export function CommandResult({ begun, environmentId, words, onClose }: CommandResultProps) {
  const { trpc } = usePlane();
  const path = { id: environmentId, commandId: begun.id };
  const { data = begun } = useQuery(
    trpc.environments.command.queryOptions(
      { path },
      // Hints of commands are for administrators only.
      { refetchInterval: ({ state }) => (state.data?.finishedAt === undefined ? 1_000 : false) },
    ),
  );
  const own = { delivered: { word: words.delivered, tone: 'live' as const }, done: words.done(data) };
  const { word, tone } = wordsOf({ ...states, ...own }, data.state);
  return (
    <div className="flex flex-col gap-4">
      <p aria-live="polite">
        <Status tone={tone}>{word}</Status>
      </p>
      {data.message !== '' && <Notice tone={tone === 'fault' ? 'fault' : 'neutral'}>{data.message}</Notice>}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </div>
  );
}
