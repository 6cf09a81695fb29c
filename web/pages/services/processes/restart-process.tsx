import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CommandState } from '../../../../domain/clusters/commands.ts';
import { DialogActions, SubmitOrCancel } from '../../../components/dialogs/dialog.tsx';
import { Button } from '../../../components/forms/button.tsx';
import { Form } from '../../../components/forms/form.tsx';
import { Notice } from '../../../components/notice.tsx';
import { Status, wordsOf } from '../../../components/status.tsx';
import type { Tone } from '../../../components/style.ts';
import { type Sent, useChange } from '../../../control-plane/change.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import type { Answers } from '../../../control-plane/session.ts';
import type { ProcessAnswer } from './process-fields.tsx';

type Command = Answers['processes']['restart'];

interface RestartProcessProps {
  process: ProcessAnswer;
  environmentId: string;
  onClose: () => void;
}

/** Restarts the instances of a process one after the other, and stays until the agent has said how that went. */
export function RestartProcess({ process: { id, name }, environmentId, onClose }: RestartProcessProps) {
  const { client } = usePlane();
  const [command, setCommand] = useState<Command>();
  const restart = useChange(
    (_: undefined, sent: Sent) => client.processes.restart.mutate({ path: { id }, query: { environmentId } }, sent),
    { failed: `${name} could not be restarted`, succeeded: `Restarting ${name}`, quiet: true, done: setCommand },
  );
  if (command !== undefined) return <Result begun={command} environmentId={environmentId} onClose={onClose} />;
  return (
    <Form problem={restart.problem} places={[]} onSubmit={() => restart.send(undefined)}>
      <p className="text-pretty text-soft text-sm">
        Its instances end and start again with the release that runs. Staged changes stay staged.
      </p>
      <SubmitOrCancel onCancel={onClose} busy={restart.sending}>
        Restart
      </SubmitOrCancel>
    </Form>
  );
}

const states: Record<CommandState, { word: string; tone: Tone }> = {
  queued: { word: 'Waits for the agent', tone: 'live' },
  delivered: { word: 'Restarting', tone: 'live' },
  done: { word: 'Restarted', tone: 'good' },
  failed: { word: 'Failed', tone: 'fault' },
  unknown: { word: 'The agent was interrupted and cannot say', tone: 'attention' },
  lost: { word: 'Lost', tone: 'attention' },
  cancelled: { word: 'Cancelled', tone: 'neutral' },
  expired: { word: 'The agent did not take it in time', tone: 'attention' },
};

function Result({
  begun,
  environmentId,
  onClose,
}: Pick<RestartProcessProps, 'environmentId' | 'onClose'> & { begun: Command }) {
  const { trpc } = usePlane();
  const path = { id: environmentId, commandId: begun.id };
  const { data = begun } = useQuery(
    trpc.environments.command.queryOptions(
      { path },
      // Hints of commands are for administrators only.
      { refetchInterval: ({ state }) => (state.data?.finishedAt === undefined ? 1_000 : false) },
    ),
  );
  const { word, tone } = wordsOf(states, data.state);
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
