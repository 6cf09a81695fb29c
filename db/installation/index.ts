import { InstallationSchema } from './installation.ts';

export const installation = [InstallationSchema] as const;
