import { AppUserSchema } from './app-user.ts';

export const users = [AppUserSchema] as const;
