create trigger audit_announce after insert on audit for each row
  when (new.action like 'number.%' and new.org is not null and new.env is not null and new.target_id is not null)
  execute function announce_number();
