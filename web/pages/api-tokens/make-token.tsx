import { useState } from 'react';
import type { TokenRole } from '../../../domain/roles.ts';
import { Dialog, SubmitOrCancel } from '../../components/dialogs/dialog.tsx';
import { Form, SelectField, TextField } from '../../components/forms/form.tsx';
import { TokenRoleField } from '../../components/forms/roles.tsx';
import { useTimes } from '../../components/times/zone.ts';
import { useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { type Expiry, expiryChoices, expiryTime } from './expiry.ts';
import { type MadeToken, TokenSecret } from './token-secret.tsx';

/** Creates a token, then shows its secret once. */
export function MakeToken({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [made, setMade] = useState<MadeToken>();
  return (
    <Dialog
      open={open}
      onClose={onClose}
      onClosed={() => setMade(undefined)}
      title={made === undefined ? 'Create an API token' : `The token ${made.token.name}`}
      about={made === undefined ? 'For programs and scripts that call the API.' : undefined}
    >
      {made === undefined ? (
        <MakeTokenForm onMade={setMade} onClose={onClose} />
      ) : (
        <TokenSecret made={made} onClose={onClose} />
      )}
    </Dialog>
  );
}

function MakeTokenForm({ onMade, onClose }: { onMade: (made: MadeToken) => void; onClose: () => void }) {
  const { client, trpc } = usePlane();
  const [name, setName] = useState('');
  const [role, setRole] = useState<TokenRole>('viewer');
  const [expiry, setExpiry] = useState<Expiry>('90');
  const [date, setDate] = useState('');
  const times = useTimes();
  const make = useChange(
    (body: { name: string; role: TokenRole; expiresAt?: string }, sent) =>
      client.apiTokens.create.mutate({ body }, sent),
    {
      failed: 'The token could not be created',
      succeeded: 'Token created',
      quiet: true,
      secret: true,
      done: onMade,
      touches: () => [trpc.apiTokens.pathKey()],
    },
  );
  const submit = () => {
    const expiresAt = expiryTime(expiry, date, Date.now(), times);
    make.send({ name, role, ...(expiresAt === undefined ? {} : { expiresAt }) });
  };
  return (
    <Form problem={make.problem} places={['name', 'expiresAt']} onSubmit={submit}>
      <TextField
        name="name"
        label="Name"
        hint="What the token is for, so that you recognize it later."
        value={name}
        onChange={setName}
        required
        first
        maxLength={100}
      />
      <TokenRoleField value={role} onChange={setRole} />
      <SelectField
        name={expiry === 'date' ? 'expiry' : 'expiresAt'}
        label="Expires"
        value={expiry}
        onChange={(chosen) => setExpiry(expiryChoices.find(({ value }) => value === chosen)?.value ?? expiry)}
        choices={expiryChoices}
        {...(expiry === 'never' ? { hint: 'Anyone who has it can use it until it is revoked.' } : {})}
      />
      {expiry === 'date' && (
        <TextField
          name="expiresAt"
          type="date"
          label="Last day"
          value={date}
          onChange={setDate}
          required
          min={times.day(Date.now())}
        />
      )}
      <SubmitOrCancel onCancel={onClose} busy={make.sending}>
        Create token
      </SubmitOrCancel>
    </Form>
  );
}
