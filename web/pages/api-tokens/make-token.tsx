import { FormDialog } from '../../components/forms/operation/form-dialog.tsx';
import { tokenRoleChoices } from '../../components/forms/roles.tsx';
import { useTimes } from '../../components/times/zone.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { ExpiryField, startOfExpiry } from './expiry-field.tsx';
import { TokenSecret } from './token-secret.tsx';

/** Creates a token, then shows its secret once. */
export function MakeToken({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { trpc } = usePlane();
  const times = useTimes();
  return (
    <FormDialog
      operation={trpc.apiTokens.create}
      start={{ role: 'viewer', expiresAt: startOfExpiry(times) }}
      fields={{
        name: { hint: 'What the token is for, so that you recognize it later.' },
        role: { choices: tokenRoleChoices },
        expiresAt: { control: ({ onChange }) => <ExpiryField onChange={onChange} /> },
      }}
      title="Create an API token"
      about="For programs and scripts that call the API."
      submit="Create token"
      succeeded="Token created"
      after={{
        title: ({ token }) => `The token ${token.name}`,
        content: (made, close) => <TokenSecret made={made} onClose={close} />,
      }}
      open={open}
      onClose={onClose}
    />
  );
}
