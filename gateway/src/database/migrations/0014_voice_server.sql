-- What a voice server was allowed to do. `charged` is what was taken for it so far; once settled it moves no more.
create table voice_grants (
  id text primary key,
  org text not null references orgs,
  key_id text not null references keys,
  doing text not null check (doing in ('speech', 'transcriptions', 'streams')),
  credits_per_unit numeric(24, 9) not null,
  characters integer not null,
  seconds double precision not null,
  charged numeric(24, 9) not null,
  created_at timestamptz not null,
  seen_at timestamptz not null,
  settled_at timestamptz
);

create index voice_streams_open on voice_grants (key_id, seen_at) where doing = 'streams' and settled_at is null;
create index voice_grants_by_age on voice_grants (seen_at);
