import type { AllTables } from './all-tables.ts';
import type { GuardedTable } from './tenant-tables.ts';

/** The tables that need no word whose rows are meant. For the others see tenant.ts. */
export type Tables = Omit<AllTables, GuardedTable>;
