create trigger sends_announce after update of status on sends for each row
  when (new.status is distinct from old.status and new.status is not null) execute function announce_send();
