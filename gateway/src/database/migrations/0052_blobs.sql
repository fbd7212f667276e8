-- Where a recording is kept: a file of a folder, or an object of a bucket, and under which key. A gateway of an older
-- version names none: its recording is the file <org>/<call>.wav.
alter table recordings add column place text not null default 'folder', add column blob text;

-- Blobs that no row names any more, until they are removed where they are kept, and those that are being uploaded.
create table blob_removals (
  place text not null,
  key text not null,
  -- When they are removed next. An upload that has no end by then never gets one.
  due_at timestamptz not null,
  is_upload boolean not null default false,
  tries integer not null default 0,
  primary key (place, key)
);
create index blob_removals_due on blob_removals (due_at);

-- Whatever deletes or replaces a recording leaves its blob here in the same transaction, gateways of older versions too.
create function remove_recorded_blob() returns trigger language plpgsql as $$
declare
  lost text := coalesce(old.blob, (select org || '/' || id || '.wav' from calls where id = old.call));
begin
  if lost is not null then
    insert into blob_removals (place, key, due_at) values (old.place, lost, '-infinity')
    on conflict (place, key) do update set due_at = excluded.due_at;
  end if;
  return null;
end
$$;
create trigger recording_deleted after delete on recordings for each row execute function remove_recorded_blob();
create trigger recording_replaced after update on recordings for each row
when ((old.place, old.blob) is distinct from (new.place, new.blob)) execute function remove_recorded_blob();

-- A gateway of an older version that replaces a recording writes the file of that name.
create function name_replaced_recording() returns trigger language plpgsql as $$
begin
  new.place := 'folder';
  new.blob := null;
  return new;
end
$$;
create trigger recording_replaced_by_older before update of bytes on recordings for each row
when (old.stored_at is distinct from new.stored_at and old.blob is not null and old.blob is not distinct from new.blob)
execute function name_replaced_recording();
