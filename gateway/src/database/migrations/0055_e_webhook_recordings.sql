create trigger recordings_announce after insert on recordings for each row execute function announce_recording();
