import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/forms/button.tsx';
import { SelectField, TextField } from '../../components/forms/form.tsx';
import type { FieldIn, OperationOf } from '../../components/forms/operation/fields.ts';
import { FormDialog } from '../../components/forms/operation/form-dialog.tsx';
import { asSentence } from '../../components/forms/operation/values.ts';
import { Setting } from '../../components/forms/setting.tsx';
import { periodText } from '../../components/times/durations.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';

const hour = 3_600_000;
const units = { minutes: 60_000, hours: hour, days: 24 * hour } as const;
type Unit = keyof typeof units;
/** The unit of each field in the body of a request. */
const fieldMillis = { hours: hour, seconds: 1_000 } as const;
type Field = keyof typeof fieldMillis;

/** How long deleted data can be restored. */
export function Retention({ mayChange }: { mayChange: boolean }) {
  const { trpc } = usePlane();
  const { id } = useMembership();
  return (
    <Length
      title="Retention of deleted data"
      about="How long an owner can restore what was deleted. Existing deletions keep their time."
      range="From an hour to a year."
      field="hours"
      choices={['hours', 'days']}
      value={useQuery(trpc.organizations.getDeletedRetention.queryOptions({ path: { id } })).data?.hours}
      mayChange={mayChange}
      operation={trpc.organizations.setDeletedRetention}
    />
  );
}

/** How long a change of production waits for its approval. */
export function ApprovalExpiry({ mayChange }: { mayChange: boolean }) {
  const { trpc } = usePlane();
  const { id } = useMembership();
  return (
    <Length
      title="Expiry of approvals"
      about="How long a change waits for its approval before it returns to the draft. Approvals that wait already keep their time."
      range="From an hour to 365 days. A day is 24 hours, also where summer time begins or ends."
      field="hours"
      choices={['hours', 'days']}
      value={useQuery(trpc.organizations.getApprovalExpiry.queryOptions({ path: { id } })).data?.hours}
      mayChange={mayChange}
      operation={trpc.organizations.setApprovalExpiry}
    />
  );
}

/** How long the command works that joins a machine to a cluster. */
export function JoinTokens({ mayChange }: { mayChange: boolean }) {
  const { trpc } = usePlane();
  const { id } = useMembership();
  return (
    <Length
      title="Join command lifetime"
      about="How long a command that joins a machine to a cluster works. Existing commands keep their lifetime."
      range="From five minutes to a week."
      field="seconds"
      choices={['minutes', 'hours', 'days']}
      value={useQuery(trpc.organizations.getJoinTokenTtl.queryOptions({ path: { id } })).data?.seconds}
      mayChange={mayChange}
      operation={trpc.organizations.setJoinTokenTtl}
    />
  );
}

type SetLength = OperationOf<{ path: { id: string }; body: Partial<Record<Field, number>> }, unknown>;

interface LengthProps {
  title: string;
  about: string;
  range: string;
  /** Field in the body of the request. */
  field: Field;
  choices: readonly Unit[];
  /** In the unit of the field. */
  value: number | undefined;
  mayChange: boolean;
  operation: Pick<SetLength, 'mutationKey'>;
}

function Length({ title, about, range, field, choices, value, mayChange, operation }: LengthProps) {
  const { id } = useMembership();
  const [open, setOpen] = useState(false);
  const inWords = (length: number) => periodText(length * fieldMillis[field]);
  return (
    <Setting title={title} about={about}>
      {value !== undefined && <span>{inWords(value)}</span>}
      {mayChange && value !== undefined && (
        <Button small onClick={() => setOpen(true)} aria-label={`Change the ${title.toLowerCase()}`}>
          Change
        </Button>
      )}
      {value !== undefined && (
        <FormDialog
          operation={operation as SetLength}
          path={{ id }}
          current={{ [field]: value }}
          fields={{
            [field]: {
              label: 'Duration',
              theirs: inWords,
              control: (given: FieldIn<number, unknown>) => <Duration {...given} field={field} choices={choices} />,
            },
          }}
          title={title}
          about={about}
          submit="Save"
          succeeded="Setting saved"
          open={open}
          onClose={() => setOpen(false)}
        >
          <p className="text-soft text-sm">{range}</p>
        </FormDialog>
      )}
    </Setting>
  );
}

type DurationProps = FieldIn<number, unknown> & Pick<LengthProps, 'field' | 'choices'>;

function Duration({ value = 0, onChange, field, choices }: DurationProps) {
  const base = fieldMillis[field];
  // In the largest unit in which it is a whole number.
  const whole = choices.findLast((unit) => (value * base) % units[unit] === 0) ?? choices[0] ?? 'hours';
  const [unit, setUnit] = useState<Unit>(whole);
  const [number, setNumber] = useState(String((value * base) / units[whole]));
  const choose = (text: string, of: Unit) => {
    setNumber(text);
    setUnit(of);
    onChange((Number(text) * units[of]) / base);
  };
  return (
    <div className="grid grid-cols-2 gap-3">
      <TextField
        name={field}
        label="Duration"
        type="number"
        min={1}
        required
        first
        value={number}
        onChange={(text) => choose(text, unit)}
      />
      <SelectField
        name="unit"
        label="Unit"
        value={unit}
        onChange={(chosen) => choose(number, choices.find((one) => one === chosen) ?? unit)}
        choices={choices.map((one) => ({ value: one, label: asSentence(one) }))}
      />
    </div>
  );
}
