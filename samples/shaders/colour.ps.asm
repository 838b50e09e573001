; One colour over a whole rectangle: c0.
ps_3_0
mov oC0, c0
