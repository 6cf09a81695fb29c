import { listAuditLog } from './list-audit-log.ts';

export const auditLog = { list: listAuditLog };
