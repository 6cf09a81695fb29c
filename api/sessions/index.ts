import { endSession } from './end-session.ts';
import { getSession } from './get-session.ts';
import { signOut } from './sign-out.ts';

export const sessions = { session: getSession, endSession, signOut };
