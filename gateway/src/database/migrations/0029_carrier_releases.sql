-- A bought number whose release at the carrier has begun: `{sid, by}`, its id there and who asked. Kept before the
-- carrier is asked and gone with the row, so that a gateway which dies in between leaves nothing half released.
alter table numbers add column releasing jsonb;
create index numbers_releasing on numbers (number) where releasing is not null;
