import { SetForm, type SetOperationProps } from '../../components/forms/operation/set-form.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { isSought } from './member-search.ts';

/** Chooses some of the organization's members: who is in a team. */
export function MemberPicker<Path>(props: SetOperationProps<Path>) {
  const { trpc } = usePlane();
  const { id } = useMembership();
  const members = usePages(trpc.members.list, { path: { id }, query: { limit: 200 }, id: ({ userId }) => userId });
  return (
    <SetForm
      {...props}
      pages={members}
      words={({ name, email }) => ({ label: name, hint: email })}
      isSought={isSought}
      nouns="members"
      placeholder="Search by name or e-mail"
    />
  );
}
