import { useState } from 'react';
import { dialogAction } from '../../components/actions/dialog-action.tsx';
import { SetForm, type SetOperationProps } from '../../components/forms/operation/set-form.tsx';
import { asSentence } from '../../components/forms/operation/values.ts';
import { useLate } from '../../control-plane/late.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { useSought } from '../../control-plane/sought.ts';
import { type Member, memberTexts } from './member-actions.ts';

interface PickMembers<Path> extends Pick<SetOperationProps<Path>, 'operation' | 'path'> {
  /** Their part in it: "members", "owners". */
  as: string;
  /** The name of the thing that has them. */
  of: string;
  chosen: readonly { userId: string }[];
}

/** Chooses some of the organization's members: those of a team. */
export function pickMembers<Path>({ as, of, chosen, ...set }: PickMembers<Path>) {
  const title = `${asSentence(as)} of ${of}`;
  const ids = chosen.map(({ userId }) => userId);
  return dialogAction({
    label: `Change ${as}`,
    title,
    content: (close) => <MemberPicker {...set} chosen={ids} succeeded={`${title} changed`} onClose={close} />,
  });
}

function MemberPicker<Path>(props: SetOperationProps<Path>) {
  const { trpc } = usePlane();
  const { id } = useMembership();
  const [text, setText] = useState('');
  const options = { path: { id }, query: { limit: 200 }, id: ({ userId }: Member) => userId };
  return (
    <SetForm
      {...props}
      pages={useSought(trpc.members.list, options, { sought: text, late: useLate(text), texts: memberTexts })}
      words={({ name, email }) => ({ label: name, hint: email })}
      search={{ text, onChange: setText, placeholder: 'Search by name, e-mail or team' }}
      nouns="members"
    />
  );
}
