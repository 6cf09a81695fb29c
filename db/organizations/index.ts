import { OrganizationSchema } from './organization.ts';

export const organizations = [OrganizationSchema] as const;
