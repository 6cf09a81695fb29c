import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog, SubmitOrCancel } from '../../components/dialogs/dialog.tsx';
import { Button } from '../../components/forms/button.tsx';
import { ChangedMeanwhile, useSaw } from '../../components/forms/changed-meanwhile.tsx';
import { Form, SelectField, TextField } from '../../components/forms/form.tsx';
import { Setting } from '../../components/forms/setting.tsx';
import { periodText } from '../../components/times/durations.ts';
import { type Sent, useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';

const hour = 3_600_000;
const units = { minutes: 60_000, hours: hour, days: 24 * hour } as const;
type Unit = keyof typeof units;
/** The unit of each field in the body of a request. */
const fieldMillis = { hours: hour, seconds: 1_000 } as const;

/** How long deleted data can be restored. */
export function Retention({ mayChange }: { mayChange: boolean }) {
  const { client, trpc } = usePlane();
  const { id } = useMembership();
  const hours = useQuery(trpc.organizations.getDeletedRetention.queryOptions({ path: { id } })).data?.hours;
  return (
    <Length
      title="Retention of deleted data"
      about="How long an owner can restore what was deleted. Existing deletions keep their time."
      range="From an hour to a year."
      field="hours"
      choices={['hours', 'days']}
      milliseconds={hours === undefined ? undefined : hours * hour}
      mayChange={mayChange}
      save={({ wanted, was }, sent) =>
        client.organizations.setDeletedRetention.mutate(
          { path: { id }, body: { hours: wanted / hour, was: { hours: was / hour } } },
          sent,
        )
      }
    />
  );
}

/** How long a change of production waits for its approval. */
export function ApprovalExpiry({ mayChange }: { mayChange: boolean }) {
  const { client, trpc } = usePlane();
  const { id } = useMembership();
  const hours = useQuery(trpc.organizations.getApprovalExpiry.queryOptions({ path: { id } })).data?.hours;
  return (
    <Length
      title="Expiry of approvals"
      about="How long a change waits for its approval before it returns to the draft. Approvals that wait already keep their time."
      range="From an hour to 365 days. A day is 24 hours, also where summer time begins or ends."
      field="hours"
      choices={['hours', 'days']}
      milliseconds={hours === undefined ? undefined : hours * hour}
      mayChange={mayChange}
      save={({ wanted, was }, sent) =>
        client.organizations.setApprovalExpiry.mutate(
          { path: { id }, body: { hours: wanted / hour, was: { hours: was / hour } } },
          sent,
        )
      }
    />
  );
}

/** How long the command works that joins a machine to a cluster. */
export function JoinTokens({ mayChange }: { mayChange: boolean }) {
  const { client, trpc } = usePlane();
  const { id } = useMembership();
  const seconds = useQuery(trpc.organizations.getJoinTokenTtl.queryOptions({ path: { id } })).data?.seconds;
  return (
    <Length
      title="Join command lifetime"
      about="How long a command that joins a machine to a cluster works. Existing commands keep their lifetime."
      range="From five minutes to a week."
      field="seconds"
      choices={['minutes', 'hours', 'days']}
      milliseconds={seconds === undefined ? undefined : seconds * 1_000}
      mayChange={mayChange}
      save={({ wanted, was }, sent) =>
        client.organizations.setJoinTokenTtl.mutate(
          { path: { id }, body: { seconds: wanted / 1_000, was: { seconds: was / 1_000 } } },
          sent,
        )
      }
    />
  );
}

interface LengthProps {
  title: string;
  about: string;
  range: string;
  /** Field in the body of the request. */
  field: keyof typeof fieldMillis;
  choices: readonly Unit[];
  milliseconds: number | undefined;
  mayChange: boolean;
  save: (milliseconds: { wanted: number; was: number }, sent: Sent) => Promise<unknown>;
}

function Length({ title, about, mayChange, ...rest }: LengthProps) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const { milliseconds } = rest;
  return (
    <Setting title={title} about={about}>
      {milliseconds !== undefined && <span>{periodText(milliseconds)}</span>}
      {mayChange && milliseconds !== undefined && (
        <Button small onClick={() => setOpen(true)} aria-label={`Change the ${title.toLowerCase()}`}>
          Change
        </Button>
      )}
      <Dialog open={open} onClose={close} title={title} about={about}>
        {milliseconds !== undefined && <ChangeLength {...rest} milliseconds={milliseconds} onClose={close} />}
      </Dialog>
    </Setting>
  );
}

function ChangeLength({
  milliseconds,
  field,
  range,
  choices,
  save,
  onClose,
}: Pick<LengthProps, 'field' | 'range' | 'choices' | 'save'> & { milliseconds: number; onClose: () => void }) {
  const { trpc } = usePlane();
  // In the largest unit in which it is a whole number.
  const whole = choices.findLast((unit) => milliseconds % units[unit] === 0) ?? choices[0] ?? 'hours';
  const [unit, setUnit] = useState<Unit>(whole);
  const [number, setNumber] = useState(String(milliseconds / units[whole]));
  const wanted = Number(number) * units[unit];
  const base = fieldMillis[field];
  const saw = useSaw({ [field]: milliseconds / base });
  const change = useChange((was: number, sent) => save({ wanted, was: was * base }, sent), {
    failed: 'The setting could not be changed',
    succeeded: 'Setting saved',
    quiet: true,
    done: onClose,
    touches: () => [trpc.organizations.pathKey()],
  });
  return (
    <Form problem={change.problem} places={[field]} onSubmit={() => change.send(saw.was[field] ?? 0)}>
      <ChangedMeanwhile
        problem={change.problem}
        words={{ [field]: { field: 'the duration', value: (theirs: number) => periodText(theirs * base) } }}
        onKeep={() => change.send(saw.learn(change.problem)[field] ?? 0)}
        onTake={onClose}
      />
      <div className="grid grid-cols-2 gap-3">
        <TextField
          name={field}
          label="Duration"
          type="number"
          min={1}
          required
          first
          value={number}
          onChange={setNumber}
        />
        <SelectField
          name="unit"
          label="Unit"
          value={unit}
          onChange={(chosen) => setUnit(choices.find((one) => one === chosen) ?? unit)}
          choices={choices.map((value) => ({ value, label: `${value.charAt(0).toUpperCase()}${value.slice(1)}` }))}
        />
      </div>
      <p className="text-soft text-sm">{range}</p>
      <SubmitOrCancel onCancel={onClose} busy={change.sending}>
        Save
      </SubmitOrCancel>
    </Form>
  );
}
