import { useState } from 'react';
import { SetForm, type SetOperationProps } from '../../components/forms/operation/set-form.tsx';
import { useLate } from '../../control-plane/late.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { useSought } from '../../control-plane/sought.ts';
import type { Member } from './member.ts';
import { memberTexts } from './member-search.ts';

/** Chooses some of the organization's members: who is in a team. */
export function MemberPicker<Path>(props: SetOperationProps<Path>) {
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
