import { AuditLog } from './audit-log.tsx'

export default function AuditScreen() {
  return <AuditLog />
}
