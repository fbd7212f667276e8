-- Each table's triggers apart, so that none waits for one table while it has another locked.
-- Few types: no other entry pays for more than a comparison. What a contact wrote on the messaging channel has a field
-- `paused`, and no text can hold that: its quotes would be escaped.
create trigger entries_announce after insert on entries for each row
  when (
    new.type in ('call.dialing', 'call.started', 'chat.started', 'msgapp.started', 'call.ended', 'callback.requested')
    or (new.type = 'user.message' and strpos(new.entry, '"paused":') > 0)
  )
  execute function announce_entry();
create trigger entries_drop_callback_event after delete on entries for each row
  when (old.type = 'callback.requested') execute function drop_callback_event();
