import { changeRole } from './change-role.ts';
import { getMember } from './get-member.ts';
import { listMembers } from './list-members.ts';
import { removeMember } from './remove-member.ts';

export const members = { list: listMembers, get: getMember, changeRole, remove: removeMember };
