import { Avatar } from '../../components/avatar.tsx';
import { Menu, MenuItem } from '../../components/dialogs/menu.tsx';
import { roleWords } from '../../components/forms/roles.tsx';
import { Row } from '../../components/rows.tsx';
import { Badge } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { useMay, useSession } from '../../control-plane/session.ts';
import { ChangeRole } from './change-role.tsx';
import type { Member } from './member.ts';

export function MemberRow({ member, onRemove }: { member: Member; onRemove: () => void }) {
  const { userId, name, email, role, mfa, lastActiveAt, teams } = member;
  const isSelf = useSession()?.user.id === userId;
  const mayChange = useMay(role === 'owner' ? 'owner' : 'admin');
  return (
    <Row
      lead={<Avatar name={name} large />}
      title={name}
      badges={isSelf && <Badge>you</Badge>}
      detail={[email, ...(teams.length === 0 ? [] : [teams.map((team) => team.name).join(', ')])].join(' · ')}
      facts={
        <>
          <span className="sm:w-36">{mfa ? 'With second factor' : 'No second factor'}</span>
          <span className="sm:w-36">
            {lastActiveAt === undefined ? (
              'Not active yet'
            ) : (
              <>
                active <Time at={lastActiveAt} />
              </>
            )}
          </span>
          <span className="max-sm:-ml-2.5 sm:w-24">
            {mayChange ? <ChangeRole member={member} /> : <span className="px-2.5">{roleWords[role].name}</span>}
          </span>
        </>
      }
      actions={
        isSelf || mayChange ? (
          <Menu label={`Actions for ${name}`}>
            <MenuItem danger onSelect={onRemove}>
              {isSelf ? 'Leave the organization' : 'Remove'}
            </MenuItem>
          </Menu>
        ) : (
          // An empty cell keeps the columns aligned.
          <span className="w-8 max-sm:hidden" />
        )
      }
    />
  );
}
